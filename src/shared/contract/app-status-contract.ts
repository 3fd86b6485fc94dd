/**
 * The app itself: where it runs and what it costs.
 * Law: the numbers are read from the process, never estimated.
 */
import type { ConnectionKind } from './connections-contract.ts';
import { snapshot } from './define-contract.ts';

export interface AppStatus {
  readonly version: string;
  readonly platform: string;
  /** Electron, Chromium and Node that run this app. */
  readonly electron: string;
  readonly chromium: string;
  readonly node: string;
  /** The Electron that releases run on. */
  readonly shippedElectron: string;
  /** Whether windows run in Chromium's sandbox. */
  readonly isSandboxed: boolean;
  readonly workspace: string;
  /** The bus behind the app. */
  readonly environment: { readonly name: string; readonly kind: ConnectionKind };
  /** Main process: share of one core over the last second, and resident memory. */
  readonly mainCpuPercent: number;
  readonly mainRssBytes: number;
}

export const appStatusContract = { status: snapshot<AppStatus>() } as const;

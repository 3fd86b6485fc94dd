/**
 * The app itself: where it runs and what it costs.
 * Law: the numbers are read from the process, never estimated.
 */
import type { ConnectionKind } from './connections-contract.ts';
import { snapshot } from './define-contract.ts';

export interface Hardening {
  /** Fuses of the runtime that are not as a release has them, by their names; null: the program has none. */
  readonly wrongFuses: readonly string[] | null;
  /** Whether this system compares the program's archive with what was built, before it is run. */
  readonly isArchiveChecked: boolean;
}

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
  /** How the program was hardened; null: a development start, whose runtime is open for tools, or it was not read yet. */
  readonly hardening: Hardening | null;
  readonly workspace: string;
  /** The bus behind the app. */
  readonly environment: { readonly name: string; readonly kind: ConnectionKind };
  /** Main process: share of one core over the last second, and resident memory. */
  readonly mainCpuPercent: number;
  readonly mainRssBytes: number;
}

export const appStatusContract = { status: snapshot<AppStatus>() } as const;

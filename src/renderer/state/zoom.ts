/**
 * The size of the window, which the settings own and main applies.
 * Law: steps that are pressed faster than the settings answer add up, and the last one stands.
 */
import type { StoreApi } from 'zustand/vanilla';
import { type ZoomStep, zoomAfter } from '../../shared/settings/zoom-steps.ts';
import type { Mirror } from './mirror-store.ts';
import { numberSetting } from './number-setting.ts';

const key = 'look.zoomPercent';

export interface Zoom {
  /** Size in percent, as it is or was asked for last. */
  percent(): number;
  step(step: ZoomStep): void;
}

export interface ZoomDeps {
  readonly mirror: StoreApi<Mirror>;
  /** `client.settings.set`. */
  readonly save: (setting: { readonly key: string; readonly value: number }) => Promise<void>;
  readonly reportError: (doing: string, error: unknown) => void;
}

/** Follows the settings while the window lives. */
export function createZoom({ mirror, save, reportError }: ZoomDeps): Zoom {
  let asked: number | undefined;
  let saving: Promise<void> | undefined;
  mirror.subscribe((state, before) => {
    if (saving === undefined && state['settings.current'] !== before['settings.current']) asked = undefined;
  });
  const percent = (): number => asked ?? numberSetting(mirror.getState()['settings.current'], key);
  /** One after the other: two at once could be written in either order. */
  async function saveAsked(): Promise<void> {
    let saved: number | undefined;
    try {
      while (asked !== undefined && asked !== saved) {
        saved = asked;
        await save({ key, value: saved });
      }
    } catch (error) {
      asked = undefined;
      reportError('Zoom', error);
    } finally {
      saving = undefined;
    }
  }
  return {
    percent,
    step(step) {
      asked = zoomAfter(percent(), step);
      saving ??= saveAsked();
    },
  };
}

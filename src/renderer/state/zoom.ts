/**
 * The size of the window, which the settings own and main applies.
 * Law: steps that are pressed faster than the settings answer add up.
 */
import type { StoreApi } from 'zustand/vanilla';
import { type ZoomStep, zoomAfter } from '../../shared/settings/zoom-steps.ts';
import type { Mirror } from './mirror-store.ts';
import { numberSetting } from './number-setting.ts';

const key = 'look.zoomPercent';

export interface Zoom {
  /** Size in percent, as it is or was asked for last. */
  percent(): number;
  /** Rejects with what the settings say, if they refuse. */
  step(step: ZoomStep): Promise<void>;
}

export interface ZoomDeps {
  readonly mirror: StoreApi<Mirror>;
  /** `client.settings.set`. */
  readonly save: (setting: { readonly key: string; readonly value: number }) => Promise<void>;
}

/** Follows the settings while the window lives. */
export function createZoom({ mirror, save }: ZoomDeps): Zoom {
  let asked: number | undefined;
  let savingCount = 0;
  mirror.subscribe((state, before) => {
    if (savingCount === 0 && state['settings.current'] !== before['settings.current']) asked = undefined;
  });
  const percent = (): number => asked ?? numberSetting(mirror.getState()['settings.current'], key);
  return {
    percent,
    async step(step) {
      asked = zoomAfter(percent(), step);
      savingCount++;
      try {
        await save({ key, value: asked });
      } catch (error) {
        asked = undefined;
        throw error;
      } finally {
        savingCount--;
      }
    },
  };
}

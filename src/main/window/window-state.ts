/** Keeps place and size of the window across starts; a state that does not fit today's screens is put back on one. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

/** Smallest window that the layout is made for, in CSS pixels. */
export const minWidth = 1024;
export const minHeight = 700;

export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Place in screen coordinates; undefined x and y: centre it. */
export interface WindowState {
  readonly bounds: Omit<Bounds, 'x' | 'y'> & Partial<Bounds>;
  readonly isMaximized: boolean;
}

const stored = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int().positive(), height: z.int().positive() }),
  isMaximized: z.boolean(),
});

const defaultState: WindowState = { bounds: { width: 1440, height: 900 }, isMaximized: false };

/** Fits a remembered state to the work areas of the screens that are there now. */
export function fitToScreens(state: WindowState, workAreas: readonly Bounds[]): WindowState {
  const { x, y, width, height } = state.bounds;
  const isReachable =
    x !== undefined &&
    y !== undefined &&
    workAreas.some(
      (area) => x + width > area.x + 80 && x < area.x + area.width - 80 && y >= area.y && y < area.y + area.height - 40,
    );
  const largest = workAreas.reduce(
    (most, area) => (area.width * area.height > most.width * most.height ? area : most),
    {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    },
  );
  const size = {
    width: Math.max(minWidth, Math.min(width, largest.width || width)),
    height: Math.max(minHeight, Math.min(height, largest.height || height)),
  };
  return { bounds: isReachable ? { x, y, ...size } : size, isMaximized: state.isMaximized };
}

/** Reads the state; a missing or broken file gives the default. */
export function loadWindowState(file: string): WindowState {
  try {
    return stored.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return defaultState;
  }
}

/** Writes the state by renaming a whole new file into place. */
export function saveWindowState(file: string, state: WindowState): void {
  mkdirSync(dirname(file), { recursive: true });
  const next = `${file}.new`;
  writeFileSync(next, JSON.stringify(state));
  renameSync(next, file);
}

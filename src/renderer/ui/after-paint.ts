/** Runs something behind the paint of the frame that queued it, in a task of its own. */
export const afterPaint = (run: () => void): void => {
  setTimeout(run, 0);
};

/** axe-core on a page of Electron. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

export const themes = ['dark', 'light'] as const;
export const sizes = [
  [1024, 700],
  [1440, 900],
] as const;

/** What is read of axe's results. */
interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string | undefined }[];
}

/** What has just opened is still fading in: waits for every animation that ends. */
function isSettled(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** axe stays in the page that it has looked at: to bring it there takes as long as a look. Undefined where it is not. */
function lookAgain(page: Page): Promise<readonly Violation[] | undefined> {
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe?: { run(root: Document, options: object): Promise<{ violations: Violation[] }> };
    };
    return (await axe?.run(document, { resultTypes: ['violations'] }))?.violations;
  });
}

async function lookFirst(page: Page): Promise<readonly Violation[]> {
  // Legacy mode: axe's own way would open a page beside the window, which Electron has none of.
  const builder = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ['violations'] });
  return (await builder.analyze()).violations;
}

/** One line a rule that is broken: how often, the first place, and what is wrong there. */
export async function violations(page: Page): Promise<string[]> {
  await isSettled(page);
  const found = (await lookAgain(page)) ?? (await lookFirst(page));
  return found.map(({ id, nodes }) => {
    const summary = nodes[0]?.failureSummary?.replaceAll(/\s+/g, ' ');
    return `${id}, ${nodes.length} times, first at ${[nodes[0]?.target].flat().join(' ')}: ${summary}`;
  });
}

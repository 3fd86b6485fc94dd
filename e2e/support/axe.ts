/** axe-core on a page of Electron. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

export const themes = ['dark', 'light'] as const;
export const sizes = [
  [1024, 700],
  [1440, 900],
] as const;

/** One line a rule that is broken: how often, the first place, and what is wrong there. */
export async function violations(page: Page): Promise<string[]> {
  // Legacy mode: axe's own way would open a page beside the window, which Electron has none of.
  const { violations: found } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'] })
    .analyze();
  return found.map(({ id, nodes }) => {
    const summary = nodes[0]?.failureSummary?.replaceAll(/\s+/g, ' ');
    return `${id}, ${nodes.length} times, first at ${nodes[0]?.target.join(' ')}: ${summary}`;
  });
}

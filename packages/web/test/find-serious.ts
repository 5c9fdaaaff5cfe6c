import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Loads the checker into each page that is opened from now on; its context must bypass the policy. */
export async function loadAxe(page: Page): Promise<void> {
  await page.addInitScript(axe.source);
}

/** What would keep somebody out who hears the page, or cannot tell colours; by these rules, or by all. */
export async function findSerious(page: Page, rules?: string[]): Promise<string[]> {
  const violations = await page.evaluate(async (only) => {
    const { axe: inPage } = globalThis as unknown as { axe: typeof axe };
    return (await inPage.run({ resultTypes: ['violations'], ...(only ? { runOnly: only } : {}) })).violations;
  }, rules);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 300)} ${failureSummary}`),
    );
}

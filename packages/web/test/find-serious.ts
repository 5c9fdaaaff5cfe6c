import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Loads axe into each page opened from now on. The browser context must bypass the CSP. */
export async function loadAxe(page: Page): Promise<void> {
  await page.addInitScript(axe.source);
}

/** Serious accessibility violations by the given axe rules (default: all). */
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

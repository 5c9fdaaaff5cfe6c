import type { Page } from 'playwright-core';

/** Begins a session by the dialog, as a person does. */
export async function beginSession(
  page: Page,
  { prompt, folder, agent = 'demo' }: { prompt: string; folder: string; agent?: string },
): Promise<void> {
  await page.getByRole('button', { name: 'New session' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await dialog.getByLabel('Prompt').fill(prompt);
  await dialog.getByRole('combobox', { name: 'Agent' }).selectOption(agent);
  await dialog.getByLabel('Folder').fill(folder);
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('log').waitFor();
}

import type { Page } from 'playwright-core';

interface SessionOptions {
  prompt: string;
  folder: string;
  agent?: string;
  worktree?: boolean;
  /** Opens the agent's own terminal UI. */
  terminal?: boolean;
}

/** Starts a session through the dialog, as a user does. */
export async function startSession(
  page: Page,
  { prompt, folder, agent = 'demo', worktree = false, terminal = false }: SessionOptions,
): Promise<void> {
  await page.getByRole('button', { name: 'New session' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await dialog.getByLabel('Prompt').fill(prompt);
  await dialog.getByRole('combobox', { name: 'Agent' }).selectOption(agent);
  await dialog.getByLabel('Folder').fill(folder);
  if (worktree) await dialog.getByLabel(/worktree/).check();
  if (terminal) await dialog.getByLabel(/terminal UI/).check();
  await dialog.getByRole('button', { name: 'Start' }).click();
  if (terminal) await page.locator('.xterm-rows').waitFor();
  else await page.getByRole('log').waitFor();
}

import type { Page } from 'playwright-core';

interface Wanted {
  prompt: string;
  folder: string;
  agent?: string;
  worktree?: boolean;
  /** On the agent's own screen. */
  terminal?: boolean;
}

/** Begins a session by the dialog, as a person does. */
export async function beginSession(
  page: Page,
  { prompt, folder, agent = 'demo', worktree = false, terminal = false }: Wanted,
): Promise<void> {
  await page.getByRole('button', { name: 'New session' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await dialog.getByLabel('Prompt').fill(prompt);
  await dialog.getByRole('combobox', { name: 'Agent' }).selectOption(agent);
  await dialog.getByLabel('Folder').fill(folder);
  if (worktree) await dialog.getByLabel(/worktree/).check();
  if (terminal) await dialog.getByLabel(/In a terminal/).check();
  await dialog.getByRole('button', { name: 'Start' }).click();
  if (terminal) await page.locator('.xterm-rows').waitFor();
  else await page.getByRole('log').waitFor();
}

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { journalIn } from '../src/paths.ts';

export function journalBytes(sessionFolder: string): number {
  const folder = journalIn(sessionFolder);
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

import { AgentMuxError } from '../contract/errors.ts';
import { applyChanges } from '../native-config/changes.ts';
import { editNativeFile, type FileEdit } from '../native-config/edit-file.ts';
import { isRecord, valueAtPath } from '../values.ts';
import type { ProfileChange } from './edit-profiles.ts';
import { userConfigFile } from './files.ts';

/** One value of the `daemon` section, by its path within it; undefined removes it. */
export type DaemonChange = ProfileChange;

/**
 * Edits the `daemon` section of the user's file; comments and everything else are kept. `decide` gets the current
 * content, and is called again if the file changed in the meantime; `check` gets the new content, and throws if it is
 * invalid.
 */
export async function editDaemonConfig(
  decide: (current: Readonly<Record<string, unknown>>) => readonly DaemonChange[],
  { check, env }: { check(after: Readonly<Record<string, unknown>>): void; env?: NodeJS.ProcessEnv },
): Promise<FileEdit> {
  const path = userConfigFile(env);
  return editNativeFile(
    { agent: 'agent-mux', format: 'jsonc', path },
    (content) => {
      const current = valueAtPath(content, ['daemon']) ?? {};
      if (!isRecord(current))
        throw new AgentMuxError('CONFIG_ERROR', `${path}: daemon must be an object`, {
          hint: 'nothing was changed; fix the file first',
        });
      const changes = decide(current);
      check(applyChanges(current, changes));
      return changes.map(({ path: within, value }) => ({ path: ['daemon', ...within], value }));
    },
    env ? { env } : {},
  );
}

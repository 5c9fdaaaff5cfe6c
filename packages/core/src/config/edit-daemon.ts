import { AgentMuxError } from '../contract/errors.ts';
import { applyChanges } from '../native-config/changes.ts';
import { editNativeFile, type FileEdit } from '../native-config/edit-file.ts';
import { isRecord, valueAtPath } from '../values.ts';
import type { ProfileChange } from './edit-profiles.ts';
import { userConfigFile } from './files.ts';

/** One value of the daemon's part of the file, by its path within that; undefined takes it out. */
export type DaemonChange = ProfileChange;

/**
 * Changes how the daemon is set up in the user's file; comments and all else stay. `decide` gets what stands there now, and may be asked
 * again where somebody else has changed the file meanwhile; `check` gets what would stand there, and throws where that is wrong.
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
          hint: 'nothing was changed; mend the file first',
        });
      const changes = decide(current);
      check(applyChanges(current, changes));
      return changes.map(({ path: within, value }) => ({ path: ['daemon', ...within], value }));
    },
    env ? { env } : {},
  );
}

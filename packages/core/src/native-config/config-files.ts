import type { AgentAdapter } from '../contract/adapter.ts';
import type { AgentConfig } from '../contract/surroundings.ts';

type Configured = Pick<AgentAdapter, 'configSchema'>;

/** Reads the files of the schema. An adapter with this very function has no reader of its own. */
export async function readConfigFiles(
  this: Configured,
  cwd?: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<AgentConfig> {
  const { readNativeConfig } = await import('./read.ts');
  return readNativeConfig(this.configSchema, { cwd, env });
}

/** Writes the project's file with a `cwd`, the user's without one. An adapter with this very function has no writer of its own. */
export async function writeConfigFiles(
  this: Configured,
  config: Partial<AgentConfig>,
  cwd?: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { writeNativeConfig } = await import('./write.ts');
  await writeNativeConfig(this.configSchema, config, { cwd, env });
}

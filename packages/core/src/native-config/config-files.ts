import type { AgentAdapter } from '../contract/adapter.ts';
import type { AgentConfig } from '../contract/auth-and-config.ts';

type Configured = Pick<AgentAdapter, 'configSchema'>;

/** Reads the files of the schema. An adapter with exactly this function has no custom reader. */
export async function readConfigFiles(
  this: Configured,
  cwd?: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<AgentConfig> {
  const { readNativeConfig } = await import('./read.ts');
  return readNativeConfig(this.configSchema, { cwd, env });
}

/**
 * Writes the project's file with a `cwd`, otherwise the user's. An adapter with exactly this function has no custom
 * writer.
 */
export async function writeConfigFiles(
  this: Configured,
  config: Partial<AgentConfig>,
  cwd?: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const { writeNativeConfig } = await import('./write.ts');
  await writeNativeConfig(this.configSchema, config, { cwd, env });
}

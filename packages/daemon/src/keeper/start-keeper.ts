import { fileURLToPath } from 'node:url';
import { startKeeperProcess } from '../keeper-process/start-keeper-process.ts';
import { type ConnectOptions, connectKeeper, type KeeperConnection } from './connect-keeper.ts';
import type { LaunchSpec } from './protocol.ts';

export interface StartOptions extends ConnectOptions {
  limitMs?: number;
}

/** Starts a keeper for the session in this folder. Resolves when the session is open and connected. */
export async function startKeeper(
  folder: string,
  launch: LaunchSpec,
  { limitMs, ...options }: StartOptions,
): Promise<KeeperConnection> {
  await startKeeperProcess(fileURLToPath(import.meta.resolve('#keeper')), folder, launch, limitMs);
  return connectKeeper(folder, options);
}

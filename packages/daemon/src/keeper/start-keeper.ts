import { fileURLToPath } from 'node:url';
import { startHolder } from '../holder/start-holder.ts';
import { type ConnectOptions, connectKeeper, type KeeperConnection } from './connect-keeper.ts';
import type { Launch } from './protocol.ts';

export interface StartOptions extends ConnectOptions {
  limitMs?: number;
}

/** Starts a keeper for the session of this folder. Resolves when the session is open and connected to. */
export async function startKeeper(
  folder: string,
  launch: Launch,
  { limitMs, ...options }: StartOptions,
): Promise<KeeperConnection> {
  await startHolder(fileURLToPath(import.meta.resolve('#keeper')), folder, launch, limitMs);
  return connectKeeper(folder, options);
}

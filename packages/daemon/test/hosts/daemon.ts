/** A daemon to be killed: starts the keeper of the launch on stdin, and prints the seq of each received event. */
import { readFileSync } from 'node:fs';
import type { LaunchSpec } from '../../src/keeper/protocol.ts';
import { startKeeper } from '../../src/keeper/start-keeper.ts';

const launch: LaunchSpec = JSON.parse(readFileSync(0, 'utf8'));
await startKeeper(launch.folder, launch, {
  after: {},
  listener: {
    events: ({ from, lines }) => lines.forEach((_line, index) => void process.stdout.write(`${from + index}\n`)),
    ended: () => {},
    storageError: () => {},
    gone: () => {},
  },
});

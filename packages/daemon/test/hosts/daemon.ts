/** A daemon that may be killed: starts the keeper of the launch on stdin, and prints the seq of each event that it has. */
import { readFileSync } from 'node:fs';
import type { Launch } from '../../src/keeper/protocol.ts';
import { startKeeper } from '../../src/keeper/start-keeper.ts';

const launch: Launch = JSON.parse(readFileSync(0, 'utf8'));
await startKeeper(launch.folder, launch, {
  after: {},
  listener: {
    events: ({ from, lines }) => lines.forEach((_line, index) => void process.stdout.write(`${from + index}\n`)),
    ended: () => {},
    trouble: () => {},
    gone: () => {},
  },
});

/**
 * Drives the installed CLI of an agent through its proof cases, in a process of its own: it starts agents by the dozen, and the
 * daemon must stay small. It ends when its stdin does, so that it never outlives a daemon.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createConfiguredClient } from '@agent-mux/adapters/client';
import { AgentMuxError, messageOf, notInstalled } from '@agent-mux/core';
import { planProof, verifyAgents } from '@agent-mux/testkit';
import { type ProverLine, ProverOrder } from './orders.ts';

let folder: string | undefined;
const input = createInterface({ input: process.stdin });
input.on('close', () => {
  // The daemon is gone, and nobody else knows of it. Whatever runs is ended by its watchman when this process is.
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(1);
});
input.once('line', (line) => {
  carryOut(ProverOrder.parse(JSON.parse(line))).then(
    () => process.exit(0),
    (error: unknown) => {
      const known = error instanceof AgentMuxError ? error : undefined;
      tell({ type: 'fault', code: known?.code ?? 'INTERNAL', message: messageOf(error), hint: known?.hint });
      process.exit(0);
    },
  );
});

async function carryOut(order: ProverOrder): Promise<void> {
  process.title = `amux-prover ${order.agent}`;
  const client = createConfiguredClient({ env: process.env, runIndex: false, rules: 'none' });
  try {
    const adapter = client.adapterNamed(order.agent);
    const info = await client.adapters.detect(order.agent);
    if (!info?.installed) throw notInstalled(adapter);
    tell({ type: 'plan', version: info.version, cases: planProof(adapter) });
    if (order.do === 'plan') return;
    folder = order.folder;
    await verifyAgents({
      agents: [{ adapter, cliPath: info.cliPath }],
      ...{ mode: undefined, cases: [], path: process.env.PATH ?? '', folder: order.folder },
      onOutcome: ({ agent: _, ...proof }) => tell({ type: 'proof', proof }),
    });
  } finally {
    await client.close();
  }
}

function tell(line: ProverLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/**
 * Runs an agent's verification cases against its installed CLI. A separate process, since it starts dozens of agents
 * and the daemon must stay small. It exits when its stdin closes, so that it never outlives the daemon.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createConfiguredClient } from '@agent-mux/adapters/client';
import { AgentMuxError, messageOf, notInstalled } from '@agent-mux/core';
import { planVerification, verifyAgents } from '@agent-mux/testkit';
import { type VerifierMessageSchema, VerifierRequestSchema } from './protocol.ts';

let folder: string | undefined;
const input = createInterface({ input: process.stdin });
input.on('close', () => {
  // The daemon is gone and no one else knows the folder. The reaper ends running agents when this process exits.
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(1);
});
input.once('line', (line) => {
  execute(VerifierRequestSchema.parse(JSON.parse(line))).then(
    () => process.exit(0),
    (error: unknown) => {
      const known = error instanceof AgentMuxError ? error : undefined;
      send({ type: 'error', code: known?.code ?? 'INTERNAL', message: messageOf(error), hint: known?.hint });
      process.exit(0);
    },
  );
});

async function execute(request: VerifierRequestSchema): Promise<void> {
  process.title = `amux-verifier ${request.agent}`;
  const client = createConfiguredClient({ env: process.env, runIndex: false, rules: 'none' });
  try {
    const adapter = client.adapterNamed(request.agent);
    const info = await client.adapters.detect(request.agent);
    if (!info?.installed) throw notInstalled(adapter);
    send({ type: 'plan', version: info.version, cases: planVerification(adapter) });
    if (request.do === 'plan') return;
    folder = request.folder;
    await verifyAgents({
      agents: [{ adapter, cliPath: info.cliPath }],
      ...{ mode: undefined, cases: [], path: process.env.PATH ?? '', folder: request.folder },
      onOutcome: ({ agent: _, ...setup }) => send({ type: 'result', setup }),
    });
  } finally {
    await client.close();
  }
}

function send(line: VerifierMessageSchema): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HELLO } from '../../model/index.ts';
import type { ProofCase } from '../proof-case.ts';
import { inPlaceOf } from '../seed-definitions.ts';

/** Where the definitions work, by the document that they are from. */
const WRITTEN_FOLDER = '/home/user/projects';

/** A definition is the word of its author: no option of the run helps it along. */
export const definitionCase: ProofCase = {
  id: 'definition',
  carrier: 'process',
  title: 'a definition in a configuration file runs as it is written',
  shows: [],
  rank: 'essential',
  alone: true,
  ofAgent: true,
  ofProject: true,
  needs: (_, proof) => proof.definition !== undefined,
  async run(bench) {
    const { definition } = bench.proof;
    assert.ok(definition);
    const files = definition.files?.({ modelUrl: bench.model.url, home: bench.home }) ?? {};
    for (const [name, content] of Object.entries(files)) writeFileSync(join(bench.home, name), content);
    const file = join(bench.home, '.config', 'agent-mux', 'config.json');
    const written = inPlaceOf(definition.written, { [WRITTEN_FOLDER]: bench.cwd });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ agents: [written] }, null, 2));
    bench.replies(HELLO);
    const client = bench.openConfigured();
    try {
      const { agent, prompt, timeout, tracePath, env } = bench.options({ agent: written.id });
      const run = await bench.read(client.run({ agent, prompt, timeout, tracePath, env }));
      run.completed(HELLO);
      assert.equal(bench.request(-1).model, definition.seen);
      assert.ok(
        JSON.stringify(bench.request(-1)).includes(bench.cwd),
        'the model is not told of the definition’s folder',
      );
    } finally {
      await client.close();
    }
  },
};

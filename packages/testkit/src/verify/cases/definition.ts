import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HELLO } from '../../model/index.ts';
import { substitute } from '../seed-definitions.ts';
import type { VerifyCase } from '../verify-case.ts';

/** Working directories of the definitions, by their document. */
const WRITTEN_FOLDER = '/home/user/projects';

/** A definition must work on its own: the run sets no option. */
export const definitionCase: VerifyCase = {
  id: 'definition',
  carrier: 'process',
  title: 'a definition in a configuration file runs as written',
  shows: [],
  rank: 'essential',
  alone: true,
  ofAgent: true,
  ofProject: true,
  needs: (_, setup) => setup.definition !== undefined,
  async run(bench) {
    const { definition } = bench.setup;
    assert.ok(definition);
    const files = definition.files?.({ modelUrl: bench.model.url, home: bench.home }) ?? {};
    for (const [name, content] of Object.entries(files)) writeFileSync(join(bench.home, name), content);
    const file = join(bench.home, '.config', 'agent-mux', 'config.json');
    const written = substitute(definition.written, { [WRITTEN_FOLDER]: bench.cwd });
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
        'the model does not get the definition’s folder',
      );
    } finally {
      await client.close();
    }
  },
};

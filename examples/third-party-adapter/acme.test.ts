import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runAdapterContractSuite } from '@agent-mux/testkit/contract-suite';
import { describe, expect, it } from 'vitest';
import acme from './index.ts';

const here = (path: string) => new URL(path, import.meta.url);
const bin = fileURLToPath(here('./bin'));

runAdapterContractSuite(acme, {
  recordings: [
    {
      name: 'hello.jsonl',
      mode: 'oneshot',
      file: here('./recordings/hello.jsonl'),
      contains: [
        { type: 'text_delta', delta: 'You ' },
        { type: 'text_delta', delta: 'hello' },
      ],
    },
  ],
  run: { env: { PATH: [bin, dirname(process.execPath)].join(delimiter) }, text: /^You said: say hello$/ },
});

describe('the authoring guide', () => {
  it('shows this adapter as it is', () => {
    expect(readFileSync(here('../../docs/writing-an-adapter.md'), 'utf8')).toContain(
      readFileSync(here('./index.ts'), 'utf8'),
    );
  });
});

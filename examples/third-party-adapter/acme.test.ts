import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ContractFixtures, runAdapterContractSuite } from '@agent-mux/testkit/contract-suite';
import { describe, expect, it } from 'vitest';
import acmeAsClass from './as-class.ts';
import acme from './index.ts';

const here = (path: string) => new URL(path, import.meta.url);
const bin = fileURLToPath(here('./bin'));

const FIXTURES: ContractFixtures = {
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
};

runAdapterContractSuite(acme, FIXTURES);

describe('the same as a class', () => runAdapterContractSuite(acmeAsClass, FIXTURES));

describe('authoring guide', () => {
  it.each(['./index.ts', './as-class.ts'])('shows %s verbatim', (file) => {
    expect(readFileSync(here('../../docs/writing-an-adapter.md'), 'utf8')).toContain(readFileSync(here(file), 'utf8'));
  });
});

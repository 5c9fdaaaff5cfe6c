import { expect, test } from 'vitest';
import { createInputWriter } from './input-writer.ts';

function setup() {
  const sent: string[] = [];
  const issues: unknown[] = [];
  let settle: ((error?: Error) => void) | undefined;
  const typing = createInputWriter({
    send(data) {
      sent.push(data);
      return new Promise((resolve, reject) => {
        settle = (error) => (error ? reject(error) : resolve(undefined));
      });
    },
    onError: (error) => issues.push(error),
  });
  const arrive = async (error?: Error) => {
    settle?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { typing, sent, issues, arrive };
}

test('batches input typed while a request is pending', async () => {
  const { typing, sent, arrive } = setup();
  for (const key of 'abcd') typing.type(key);
  expect(sent).toEqual(['a']);
  await arrive();
  expect(sent).toEqual(['a', 'bcd']);
});

test('never joins an escape sequence with typed input', async () => {
  const { typing, sent, arrive } = setup();
  for (const data of ['a', 'b', '\x1b[?1;2c', 'c', '\x1b[A']) typing.type(data);
  for (let at = 0; at < 5; at += 1) await arrive();
  expect(sent).toEqual(['a', 'b', '\x1b[?1;2c', 'c', '\x1b[A']);
});

test('reports and drops failed input and what waited for it, then continues', async () => {
  const { typing, sent, issues, arrive } = setup();
  for (const key of 'abc') typing.type(key);
  await arrive(new Error('gone'));
  expect(issues).toHaveLength(1);
  typing.type('d');
  expect(sent).toEqual(['a', 'd']);
});

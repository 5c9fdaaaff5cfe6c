import { expect, test } from 'vitest';
import { makeTyping } from './typing.ts';

function begin() {
  const sent: string[] = [];
  const faults: unknown[] = [];
  let settle: ((error?: Error) => void) | undefined;
  const typing = makeTyping({
    send(data) {
      sent.push(data);
      return new Promise((resolve, reject) => {
        settle = (error) => (error ? reject(error) : resolve(undefined));
      });
    },
    onFault: (error) => faults.push(error),
  });
  const arrive = async (error?: Error) => {
    settle?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { typing, sent, faults, arrive };
}

test('what is typed while something is under way is sent after it, together', async () => {
  const { typing, sent, arrive } = begin();
  for (const key of 'abcd') typing.type(key);
  expect(sent).toEqual(['a']);
  await arrive();
  expect(sent).toEqual(['a', 'bcd']);
});

test('what begins with an escape is never joined with what was typed', async () => {
  const { typing, sent, arrive } = begin();
  for (const data of ['a', 'b', '\x1b[?1;2c', 'c', '\x1b[A']) typing.type(data);
  for (let at = 0; at < 5; at += 1) await arrive();
  expect(sent).toEqual(['a', 'b', '\x1b[?1;2c', 'c', '\x1b[A']);
});

test('what fails is told and dropped with what waited behind it, and typing goes on', async () => {
  const { typing, sent, faults, arrive } = begin();
  for (const key of 'abc') typing.type(key);
  await arrive(new Error('gone'));
  expect(faults).toHaveLength(1);
  typing.type('d');
  expect(sent).toEqual(['a', 'd']);
});

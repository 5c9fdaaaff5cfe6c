import { describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import { parseTarget } from './target.ts';

describe('parseTarget', () => {
  it.each([
    ['ssh://box', { mode: 'ssh', host: 'box' }],
    ['ssh://me@box:2222/srv/my app', { mode: 'ssh', host: 'box', user: 'me', port: 2222, remoteCwd: '/srv/my app' }],
    ['ssh://box/~/app', { mode: 'ssh', host: 'box', remoteCwd: '~/app' }],
    ['ssh://box/~', { mode: 'ssh', host: 'box', remoteCwd: '~' }],
    ['ssh://me@[::1]:22', { mode: 'ssh', host: '::1', user: 'me', port: 22 }],
    ['docker:ghcr.io/me/agents:1.2', { mode: 'docker', image: 'ghcr.io/me/agents:1.2' }],
    ['k8s:pod-0', { mode: 'k8s', pod: 'pod-0' }],
    ['k8s:dev/pod-0', { mode: 'k8s', namespace: 'dev', pod: 'pod-0' }],
    ['k8s:dev/pod-0/main', { mode: 'k8s', namespace: 'dev', pod: 'pod-0', container: 'main' }],
    ['k8s:/pod-0/main', { mode: 'k8s', pod: 'pod-0', container: 'main' }],
  ])('parses %s', (text, invocation) => {
    expect(parseTarget(text)).toEqual(invocation);
  });

  it.each([
    '',
    'box',
    'ssh://',
    'ssh://me@',
    'ssh://box:port',
    'docker:',
    'docker:a b',
    'k8s:',
    'k8s:a/b/c/d',
    'k8s:a/',
  ])('rejects "%s"', (text) => {
    expect(() => parseTarget(text)).toThrow(UsageError);
  });
});

import type { RemoteInvocation } from '@agent-mux/core';
import { UsageError } from '../usage-error.ts';

export const TARGET_HELP = 'ssh://[user@]host[:port][/dir], docker:IMAGE or k8s:[NAMESPACE/]POD[/CONTAINER]';

/** Parses a remote target. */
export function parseTarget(text: string): RemoteInvocation {
  const invocation = text.startsWith('ssh://') ? ssh(text) : text.startsWith('docker:') ? docker(text) : k8s(text);
  if (invocation) return invocation;
  throw new UsageError(`invalid target "${text}"`, `use ${TARGET_HELP}`);
}

/** `/dir` is absolute; `/~/dir` is relative to the remote user's home. */
function ssh(text: string): RemoteInvocation | undefined {
  const [, user, host, port, dir] =
    /^ssh:\/\/(?:([^@/\s]+)@)?(\[[^\]\s]+\]|[^:@/\s]+)(?::(\d+))?(\/.*)?$/.exec(text) ?? [];
  if (host === undefined) return undefined;
  const remoteCwd = dir === undefined || dir === '/' ? undefined : dir.replace(/^\/~(?=\/|$)/, '~');
  return {
    mode: 'ssh',
    host: host.replace(/^\[|\]$/g, ''),
    ...(user === undefined ? {} : { user }),
    ...(port === undefined ? {} : { port: Number(port) }),
    ...(remoteCwd === undefined ? {} : { remoteCwd }),
  };
}

function docker(text: string): RemoteInvocation | undefined {
  const image = text.slice('docker:'.length);
  return /^\S+$/.test(image) ? { mode: 'docker', image } : undefined;
}

/** Two names are namespace and pod; an empty namespace (`k8s:/pod/container`) means that of the current context. */
function k8s(text: string): RemoteInvocation | undefined {
  if (!text.startsWith('k8s:') || /\s/.test(text)) return undefined;
  const names = text.slice('k8s:'.length).split('/');
  const [namespace, pod, container] = names.length === 1 ? ['', ...names] : names;
  if (!pod || names.length > 3 || container === '') return undefined;
  return {
    mode: 'k8s',
    pod,
    ...(namespace ? { namespace } : {}),
    ...(container === undefined ? {} : { container }),
  };
}

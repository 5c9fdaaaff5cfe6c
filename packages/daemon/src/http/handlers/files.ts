import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FILE_BODY_LIMIT } from '@agent-mux/api/schemas';
import { mimeTypeOf } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import { makeId } from '../access/secrets.ts';
import { readBytes } from '../body.ts';
import type { Handlers } from '../call.ts';
import { downloadResponse } from '../files/download.ts';
import { listFolders } from '../files/folders.ts';
import { openInside } from '../files/inside.ts';
import { listTree } from '../files/tree.ts';
import { findUpload, keepUpload, openKept } from '../files/uploads.ts';
import { findSession } from '../find-row.ts';
import { diffWorkspace } from '../git/workspace-diff.ts';
import type { ApiLimits } from '../limits.ts';
import type { ApiParts } from '../parts.ts';

type Operations =
  | 'uploadFile'
  | 'downloadFile'
  | 'createScratchFolder'
  | 'listFolders'
  | 'listTree'
  | 'readWorkspaceFile'
  | 'readDiff'
  | 'readBlob';

interface FileParts extends Pick<ApiParts, 'store' | 'places' | 'clock' | 'policy'> {
  limits: ApiLimits;
}

export function fileHandlers({ store, places, clock, policy, limits }: FileParts): Pick<Handlers, Operations> {
  const workspaceOf = async (id: string) => (await findSession(store, id)).workspace;
  return {
    async uploadFile({ query, request }) {
      const mimeType = uploadType(request.headers.get('content-type'), query.name);
      const content = readBytes(request, Math.min(limits.fileBytes, FILE_BODY_LIMIT));
      return keepUpload(places.files, content, { name: query.name, mimeType, now: clock() });
    },
    async downloadFile({ params }) {
      const { path, name, mimeType } = await findUpload(places.files, params.id);
      const { file, bytes } = await openKept(path, params.id);
      return downloadResponse(file, { name, mimeType, bytes });
    },
    async createScratchFolder() {
      const path = join(places.scratch, makeId());
      await mkdir(path, { recursive: true, mode: 0o700 });
      return { path };
    },
    listFolders: ({ query }) => listFolders(query.path ?? '', policy.env, limits),
    async listTree({ params, query }) {
      const { path } = await workspaceOf(params.id);
      return listTree(path, query.path ?? '.', limits.treeEntries);
    },
    async readWorkspaceFile({ params, query }) {
      const workspace = await workspaceOf(params.id);
      const { file, bytes, path } = await openInside(workspace.path, query.path);
      return downloadResponse(file, { name: basename(path), mimeType: mimeTypeOf(path), bytes });
    },
    async readDiff({ params }) {
      return diffWorkspace(await workspaceOf(params.id), limits);
    },
    async readBlob({ params }) {
      const { file, bytes } = await openKept(join(places.blobs, params.sha256), params.sha256);
      return downloadResponse(file, { name: `${params.sha256}.txt`, mimeType: 'text/plain', bytes });
    },
  };
}

/** Forms would be kept with their wrapping. */
function uploadType(contentType: string | null, name: string): string {
  const given = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (given === 'multipart/form-data' || given === 'application/x-www-form-urlencoded') {
    throw new DaemonError('UNSUPPORTED_MEDIA', `a file is sent as it is, not as ${given}`, {
      hint: 'the body is the file; its name goes into ?name=',
    });
  }
  const isKnown = /^[a-z0-9.+-]{1,80}\/[a-z0-9.+-]{1,80}$/.test(given) && given !== 'application/octet-stream';
  return isKnown ? given : mimeTypeOf(name);
}

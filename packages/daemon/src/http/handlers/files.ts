import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FILE_BODY_LIMIT } from '@agent-mux/api/schemas';
import { mimeTypeOf } from '@agent-mux/core';
import { DaemonError } from '../../daemon-error.ts';
import { generateId } from '../access/secrets.ts';
import { readBytes } from '../body.ts';
import type { Handlers } from '../call.ts';
import { downloadResponse } from '../files/download.ts';
import { listFolders } from '../files/folders.ts';
import { listTree } from '../files/tree.ts';
import { findUpload, openUpload, saveUpload } from '../files/uploads.ts';
import { openInWorkspace } from '../files/workspace-path.ts';
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
  | 'getWorkspaceFile'
  | 'getDiff'
  | 'getBlob';

interface FileParts extends Pick<ApiParts, 'store' | 'paths' | 'clock' | 'policy'> {
  limits: ApiLimits;
}

export function fileHandlers({ store, paths, clock, policy, limits }: FileParts): Pick<Handlers, Operations> {
  const workspaceOf = async (id: string) => (await findSession(store, id)).workspace;
  return {
    async uploadFile({ query, request }) {
      const mimeType = uploadType(request.headers.get('content-type'), query.name);
      const content = readBytes(request, Math.min(limits.fileBytes, FILE_BODY_LIMIT));
      return saveUpload(paths.files, content, { name: query.name, mimeType, now: clock() });
    },
    async downloadFile({ params }) {
      const { path, name, mimeType } = await findUpload(paths.files, params.id);
      const { file, bytes } = await openUpload(path, params.id);
      return downloadResponse(file, { name, mimeType, bytes });
    },
    async createScratchFolder() {
      const path = join(paths.scratch, generateId());
      await mkdir(path, { recursive: true, mode: 0o700 });
      return { path };
    },
    listFolders: ({ query }) => listFolders(query.path ?? '', policy.env, limits),
    async listTree({ params, query }) {
      const { path } = await workspaceOf(params.id);
      return listTree(path, query.path ?? '.', limits.treeEntries);
    },
    async getWorkspaceFile({ params, query }) {
      const workspace = await workspaceOf(params.id);
      const { file, bytes, path } = await openInWorkspace(workspace.path, query.path);
      return downloadResponse(file, { name: basename(path), mimeType: mimeTypeOf(path), bytes });
    },
    async getDiff({ params }) {
      return diffWorkspace(await workspaceOf(params.id), limits);
    },
    async getBlob({ params }) {
      const { file, bytes } = await openUpload(join(paths.blobs, params.sha256), params.sha256);
      return downloadResponse(file, { name: `${params.sha256}.txt`, mimeType: 'text/plain', bytes });
    },
  };
}

/** Rejects forms, which would be stored with their encoding. */
function uploadType(contentType: string | null, name: string): string {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded') {
    throw new DaemonError(
      'UNSUPPORTED_MEDIA_TYPE',
      `unsupported content type: ${type}; send the file as the request body`,
      {
        hint: 'pass the file name in ?name=',
      },
    );
  }
  const isKnown = /^[a-z0-9.+-]{1,80}\/[a-z0-9.+-]{1,80}$/.test(type) && type !== 'application/octet-stream';
  return isKnown ? type : mimeTypeOf(name);
}

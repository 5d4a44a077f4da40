/** A control plane with its first owner, whose terminal is signed in. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Test } from 'tap';
import { writeCredential } from '../../../src/commands/control-plane/credentials.ts';
import {
  buildAuthorization,
  obtainCode,
  redeemCode,
  signInFirstOwner,
  startOAuthControlPlane,
} from '../../server/oauth/oauth-control-plane.ts';
import { createWorkspace } from '../test-workspace.ts';

type PlaneOptions = Omit<NonNullable<Parameters<typeof startOAuthControlPlane>[1]>, 'folder'>;

export async function startSignedIn(t: Test, options: PlaneOptions = {}) {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:9');
  const plane = await startOAuthControlPlane(t, { ...options, folder: join(testWorkspace.folder, 'plane') });
  const ana = await signInFirstOwner(plane);
  const authorizationRequest = buildAuthorization(plane);
  const { body: tokens } = await redeemCode(
    plane,
    await obtainCode(ana, authorizationRequest.url),
    authorizationRequest,
  );
  writeCredential(testWorkspace.paths, plane.url, tokens.access_token ?? '');
  const vp = (args: readonly string[], variables: Record<string, string> = {}) =>
    testWorkspace.vp(args, { variables: { VP_CONTROL_PLANE: plane.url, ...variables } });
  const vpWithInput = (text: string, args: readonly string[]) =>
    testWorkspace.vp(args, { variables: { VP_CONTROL_PLANE: plane.url }, stdin: Readable.from([text]) });
  const start = (args: readonly string[]) => testWorkspace.start(args, { variables: { VP_CONTROL_PLANE: plane.url } });
  const json = async (...args: string[]) => JSON.parse((await vp([...args, '--json'])).stdout);
  const createHub = async () => vp(['hubs', 'create', 'acme', '--name', 'Acme tools']);
  return { testWorkspace, plane, ana, vp, json, createHub: createHub, vpWithInput: vpWithInput, start };
}

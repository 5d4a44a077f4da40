import type { AskedLeave } from '../../contract/consent-api.ts';
import type { Resource } from './resources.ts';

const words: Readonly<Record<string, string>> = {
  api: 'do on this control plane what your role allows',
  'hub:read': 'see the tools, resources and prompts of this hub',
  'hub:call': 'use them in your name, as far as your role and the hub’s policy allow; every call is recorded',
  'memory:use': 'read, add and change what is remembered for you in this hub',
  openid: 'know who you are',
  offline_access: 'stay signed in until you end it',
};

/** What scopes allow, in plain words. */
export function leaveWords(scopes: readonly string[]): string[] {
  return scopes.map((scope) => words[scope] ?? scope);
}

/** What a resource is called towards people. */
export function serviceOf({ kind }: Resource): AskedLeave['service'] {
  return kind === 'hub' || kind === 'memory' ? kind : 'control_plane';
}

import type { ConsentRequest } from '../../../contract/consent-api.ts';
import type { ProtectedResource } from '../resources/resources.ts';

const descriptions: Readonly<Record<string, string>> = {
  api: 'do on this control plane what your role allows',
  'hub:read': 'see the tools, resources and prompts of this hub',
  'hub:call': 'use them in your name, as far as your role and the hub’s policy allow; every call is recorded',
  'memory:use': 'read, add and change what is remembered for you in this hub',
  openid: 'know who you are',
  offline_access: 'stay signed in until you end it',
};

/** Describes scopes for the consent page. */
export function describeScopes(scopes: readonly string[]): string[] {
  return scopes.map((scope) => descriptions[scope] ?? scope);
}

/** The service of a resource for the consent page. */
export function getService({ kind }: ProtectedResource): ConsentRequest['service'] {
  return kind === 'hub' || kind === 'memory' ? kind : 'control_plane';
}

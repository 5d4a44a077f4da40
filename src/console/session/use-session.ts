import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Instance } from '../../contract/api.ts';
import type { Role, SignInResponse, Whoami } from '../../contract/identity-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import { type ConsoleClient, useClient } from './client.ts';
import { clearProof, storeProof } from './credential.ts';

/** Fails with status 401 if no one is signed in. */
export function sessionQuery({ identity }: ConsoleClient) {
  return queryOptions({
    queryKey: ['session'],
    queryFn: ({ signal }) => identity.whoami({ signal }),
    staleTime: 60_000,
  });
}

/** True for errors that a new sign-in resolves. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof VpError && error.row.status === 401;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, member: 1, owner: 2 };

/** Undefined while loading. */
export function useWhoami(): Whoami | undefined {
  return useQuery({ ...sessionQuery(useClient()), enabled: false }).data;
}

/** True if the signed-in person has at least this role. */
export function useHasRole(role: Role): boolean {
  const whoami = useWhoami();
  return whoami !== undefined && ranks[whoami.role] >= ranks[role];
}

/** Only the owner of an instance and owners of the control plane can change the instance and its scenarios. */
export function useCanEditInstance(instance: Pick<Instance, 'owner'> | undefined): boolean {
  const whoami = useWhoami();
  if (whoami?.role === 'owner') return true;
  const personId = whoami?.person?.person_id;
  return whoami?.role === 'member' && personId !== undefined && personId === instance?.owner?.person_id;
}

export function useSessionActions(): {
  completeSignIn(response: SignInResponse): Promise<void>;
  signOut(): Promise<void>;
} {
  const queries = useQueryClient();
  const { identity } = useClient();
  return {
    async completeSignIn({ proof }) {
      storeProof(proof);
      await queries.resetQueries();
    },
    async signOut() {
      await identity.signOut().catch(() => undefined);
      clearProof();
      queries.clear();
      location.assign('/');
    },
  };
}

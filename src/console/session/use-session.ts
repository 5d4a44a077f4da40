import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Instance } from '../../contract/api.ts';
import type { Role, SignedIn, Whoami } from '../../contract/identity-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import { type Connection, useConnection } from './connection.ts';
import { forgetProof, keepProof } from './credential.ts';

/** Who is signed in; fails with a status of 401 when nobody is. */
export function sessionQuery({ identity }: Connection) {
  return queryOptions({
    queryKey: ['session'],
    queryFn: ({ signal }) => identity.whoami({ signal }),
    staleTime: 60_000,
  });
}

/** True for an error that a sign-in mends. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof VpError && error.row.status === 401;
}

const ranks: Readonly<Record<Role, number>> = { viewer: 0, member: 1, owner: 2 };

/** The signed-in person; undefined while that is not known. */
export function useWhoami(): Whoami | undefined {
  return useQuery({ ...sessionQuery(useConnection()), enabled: false }).data;
}

/** True when the signed-in person has at least this role. */
export function useMay(role: Role): boolean {
  const whoami = useWhoami();
  return whoami !== undefined && ranks[whoami.role] >= ranks[role];
}

/** True when the signed-in person may change this instance and its scenarios: its owner, and owners of the control plane. */
export function useMayChange(instance: Pick<Instance, 'owner'> | undefined): boolean {
  const whoami = useWhoami();
  if (whoami?.role === 'owner') return true;
  const personId = whoami?.person?.person_id;
  return whoami?.role === 'member' && personId !== undefined && personId === instance?.owner?.person_id;
}

/** What becomes of a page when somebody signs in or out. */
export function useSignedIn(): { signedIn(answer: SignedIn): Promise<void>; signOut(): Promise<void> } {
  const queries = useQueryClient();
  const { identity } = useConnection();
  return {
    async signedIn({ proof }) {
      keepProof(proof);
      await queries.resetQueries();
    },
    async signOut() {
      await identity.signOut().catch(() => undefined);
      forgetProof();
      queries.clear();
      location.assign('/');
    },
  };
}

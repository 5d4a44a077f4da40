import { useQuery } from '@tanstack/react-query';
import { useRoute, useSearchParams } from 'wouter';
import { ToldProblem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { signInEndOf } from './sign-in-end.ts';

/** What came of a sign-in at a connection's server that the browser comes back from; it can be put away. */
export function SignInReturn() {
  const [search, setSearch] = useSearchParams();
  const connections = useConnectionsHere(search.has('problem') || search.has('signed_in'));
  const end = connections && signInEndOf(search, connections);
  if (!end) return null;
  const close = (
    <button type="button" className="quiet" onClick={() => setSearch('', { replace: true })}>
      Put away
    </button>
  );
  if ('signedIn' in end)
    return (
      <p className="notice" role="status">
        Signed in at {end.signedIn}. Its tools are there from the next call on. {close}
      </p>
    );
  const { connection = 'the server', why, cure, code } = end;
  return (
    <ToldProblem told={{ message: `The sign-in at ${connection} did not succeed: ${why}`, cure, code }}>
      {close}
    </ToldProblem>
  );
}

/** Those of the hub in the address, none outside of hubs; undefined until they are known. */
function useConnectionsHere(isAsked: boolean) {
  const { hubs } = useConnection();
  const [isHub, params] = useRoute('/hubs/:hub/*?');
  const slug = params?.hub ?? '';
  const { data, isError } = useQuery({
    queryKey: ['hub-connections', slug],
    queryFn: ({ signal }) => hubs.connections(slug, { signal }),
    enabled: isAsked && isHub,
  });
  return isHub && !isError ? data : [];
}

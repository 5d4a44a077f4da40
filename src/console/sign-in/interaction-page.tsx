import { useMutation, useQuery } from '@tanstack/react-query';
import { useConnection } from '../session/connection.ts';
import { isSignedOut } from '../session/use-session.ts';
import { Card } from './card.tsx';
import { Scopes } from './scopes.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** A program asks a person for leave, by the authorization server: signing in first, then allowing it or not. */
export default function InteractionPage({ uid }: { uid: string }) {
  const { identity } = useConnection();
  const asked = useQuery({
    queryKey: ['interaction', uid],
    queryFn: ({ signal }) => identity.interaction(uid, { signal }),
  });
  const decide = useMutation({
    mutationFn: (allow: boolean) => identity.decide(uid, { allow }),
    onSuccess: ({ redirect_to }) => location.assign(redirect_to),
  });
  const { data } = asked;
  if (data?.kind === 'sign_in' || isSignedOut(asked.error)) {
    return (
      <SignInForm onSignedIn={() => decide.mutate(true)}>
        {data ? <p>{data.client_name} asks you to sign in.</p> : null}
      </SignInForm>
    );
  }
  if (asked.error) {
    return (
      <Card title="This request cannot be answered" error={asked.error}>
        <p>Go back to the program and begin again.</p>
      </Card>
    );
  }
  if (!data) return <Card title="One moment…">{null}</Card>;
  const refuse = (
    <button type="button" disabled={decide.isPending} onClick={() => decide.mutate(false)}>
      Refuse
    </button>
  );
  const submit = { text: 'Allow', pending: decide.isPending, action: () => decide.mutate(true) };
  return (
    <Card title={`Allow ${data.client_name}?`} submit={submit} error={decide.error} foot={refuse}>
      <p>It may then act for you until you end it. Afterwards you go on to {data.redirect_host}.</p>
      <Scopes scopes={data.scopes} />
    </Card>
  );
}

import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { useConnection } from '../session/connection.ts';
import { type ConnectionDraft, connectionOf, draftOf, hasUrl, probeOf, suggestedName } from './connection-draft.ts';
import { ConnectionName, ConnectionTarget } from './connection-target.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { ProbeView } from './probe-view.tsx';
import { useBeginSignIn } from './use-begin-sign-in.ts';
import { useChange } from './use-change.ts';

type NewConnectionProps = {
  readonly hub: string;
  /** What the form begins with. */
  readonly known?: Partial<ConnectionDraft>;
  readonly onClose: () => void;
  readonly onAdded?: () => void;
  /** Stands above the form. */
  readonly children?: ReactNode;
};

/** Adds a connection: shows what its server offers first, and keeps it when that is wanted. */
export function NewConnection({ hub, known, onClose, onAdded, children }: NewConnectionProps) {
  const [draft, setDraft] = useState(() => draftOf(undefined, known));
  const set = (part: Partial<ConnectionDraft>): void => setDraft((before) => ({ ...before, ...part }));
  const { probe, isProbed } = useProbe(hub, draft, (name) => set({ name }));
  const { save, isLeaving, signIn } = useSave(hub, draft, onClose, onAdded);
  const needsSignIn = isProbed && probe.data?.problem?.code === 'UPSTREAM_SIGN_IN_NEEDED';
  const willSignIn = needsSignIn && draft.credential === 'oauth';
  const isBusy = probe.isPending || save.isPending || isLeaving;
  const lacksCommand = draft.kind === 'stdio' && draft.target === '';
  return (
    <Dialog title={`Add a connection to ${hub}`} onClose={onClose}>
      {children}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isProbed) save.mutate(willSignIn);
          else probe.mutate();
        }}
      >
        <ConnectionTarget hub={hub} draft={draft} set={set} isNew />
        {hasUrl(draft.kind) ? <CredentialFields draft={draft} set={set} isNew /> : null}
        {isProbed && probe.data && !needsSignIn ? <ProbeView probed={probe.data} /> : null}
        {needsSignIn ? <SignInNeeded willSignIn={willSignIn} /> : null}
        {isProbed ? <ConnectionName draft={draft} set={set} isNew isNeeded /> : null}
        {[probe.error, save.error, signIn.error].map((error) =>
          error ? <Problem key={error.message} error={error} /> : null,
        )}
        <footer className="dialog-foot">
          <button type="button" onClick={onClose}>
            Do not add
          </button>
          <button type="submit" className="strong" disabled={isBusy || lacksCommand}>
            {probe.isPending ? 'Looking…' : actionOf(isProbed, willSignIn, Boolean(probe.data?.problem))}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

/** No fault: most servers of people want to know who calls before they tell anything. */
function SignInNeeded({ willSignIn }: { willSignIn: boolean }) {
  return (
    <p className="help" role="status">
      <span>
        {willSignIn
          ? 'It answers, and asks for a sign-in before it tells more. When it is added, the browser goes there.'
          : 'It answers, and wants to know who calls: choose OAuth or a header above, then look again.'}{' '}
        <code className="faint">UPSTREAM_SIGN_IN_NEEDED</code>
      </span>
    </p>
  );
}

function actionOf(isProbed: boolean, willSignIn: boolean, isBroken: boolean): string {
  if (!isProbed) return 'See what it offers';
  if (willSignIn) return 'Add and sign in';
  return isBroken ? 'Add all the same' : 'Add';
}

/** Asks what the draft's server offers; an answer counts for as long as what was asked stays as it is. */
function useProbe(hub: string, draft: ConnectionDraft, setName: (name: string) => void) {
  const { hubConnect } = useConnection();
  const asked = JSON.stringify(probeOf(draft));
  const [answered, setAnswered] = useState<string>();
  const [suggested, setSuggested] = useState('');
  const probe = useMutation({
    mutationFn: () => hubConnect.probe(hub, probeOf(draft)),
    onSuccess: ({ server }) => {
      setAnswered(asked);
      if (draft.name !== suggested) return;
      const name = suggestedName(server?.name, draft);
      setSuggested(name);
      setName(name);
    },
    gcTime: 0,
  });
  return { probe, isProbed: answered === asked && probe.isSuccess };
}

/** Keeps it, and leads to the sign-in where one is needed. */
function useSave(hub: string, draft: ConnectionDraft, onClose: () => void, onAdded: (() => void) | undefined) {
  const { hubs } = useConnection();
  const { signIn, isLeaving } = useBeginSignIn(hub);
  const save = useChange(
    'hub-connections',
    async (willSignIn: boolean) => ({ willSignIn, added: await hubs.addConnection(hub, connectionOf(draft)) }),
    ({ willSignIn, added }) => {
      if (willSignIn) return signIn.mutate(added.connection_id, { onError: onClose });
      onClose();
      onAdded?.();
    },
  );
  return { save, signIn, isLeaving };
}

import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { DialogActions } from '../../components/dialog-actions.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useClient } from '../../session/client.ts';
import { useStartSignIn } from '../sign-in/use-start-sign-in.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';
import {
  type ConnectionDraft,
  createConnectionDraft,
  isUrlKind,
  suggestName,
  toNewConnection,
  toProbeRequest,
} from './connection-draft.ts';
import { ConnectionName, ConnectionTarget } from './connection-target.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { ProbeResultNotice } from './probe-result.tsx';

type NewConnectionProps = {
  readonly hub: string;
  readonly defaults?: Partial<ConnectionDraft>;
  readonly onClose: () => void;
  readonly onAdded?: () => void;
  readonly children?: ReactNode;
};

/** Probes the server first and shows what it offers. Adding it is a second step. */
export function NewConnection({ hub, defaults, onClose, onAdded, children }: NewConnectionProps) {
  const [draft, setDraft] = useState(() => createConnectionDraft(undefined, defaults));
  const update = (part: Partial<ConnectionDraft>): void => setDraft((previous) => ({ ...previous, ...part }));
  const { probe, isProbed } = useConnectionProbe(hub, draft, (name) => update({ name }));
  const { save, isRedirecting, signIn } = useSaveConnection(hub, draft, onClose, onAdded);
  const needsSignIn = isProbed && probe.data?.problem?.code === 'UPSTREAM_SIGN_IN_NEEDED';
  const willSignIn = needsSignIn && draft.credential === 'oauth';
  const isBusy = probe.isPending || save.isPending || isRedirecting;
  const isCommandMissing = draft.kind === 'stdio' && draft.target === '';
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
        <ConnectionTarget hub={hub} draft={draft} onChange={update} isNew />
        {isUrlKind(draft.kind) ? <CredentialFields draft={draft} onChange={update} isNew /> : null}
        {isProbed && probe.data && !needsSignIn ? <ProbeResultNotice result={probe.data} /> : null}
        {needsSignIn ? <SignInNeeded willSignIn={willSignIn} /> : null}
        {isProbed ? <ConnectionName draft={draft} onChange={update} isNew isRequired /> : null}
        {[probe.error, save.error, signIn.error].map((error) =>
          error ? <ErrorNotice key={error.message} error={error} /> : null,
        )}
        <DialogActions
          onClose={onClose}
          isPending={probe.isPending}
          pendingLabel="Checking…"
          isDisabled={isBusy || isCommandMissing}
        >
          {getSubmitLabel(isProbed, willSignIn, Boolean(probe.data?.problem))}
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Not an error: most servers require a credential before they list their tools. */
function SignInNeeded({ willSignIn }: { willSignIn: boolean }) {
  return (
    <p className="help" role="status">
      <span>
        {willSignIn
          ? 'The server requires a sign-in. Its sign-in page opens after you add the connection.'
          : 'The server requires a credential: choose OAuth or a header above, then check again.'}{' '}
        <code className="faint">UPSTREAM_SIGN_IN_NEEDED</code>
      </span>
    </p>
  );
}

function getSubmitLabel(isProbed: boolean, willSignIn: boolean, hasProblem: boolean): string {
  if (!isProbed) return 'See what it offers';
  if (willSignIn) return 'Add and sign in';
  return hasProblem ? 'Add anyway' : 'Add';
}

/** A probe result is valid until the probed fields of the draft change. */
function useConnectionProbe(hub: string, draft: ConnectionDraft, setName: (name: string) => void) {
  const { hubConnectionUse } = useClient();
  const requestKey = JSON.stringify(toProbeRequest(draft));
  const [probedKey, setProbedKey] = useState<string>();
  const [suggested, setSuggested] = useState('');
  const probe = useMutation({
    mutationFn: () => hubConnectionUse.probe(hub, toProbeRequest(draft)),
    onSuccess: ({ server }) => {
      setProbedKey(requestKey);
      if (draft.name !== suggested) return;
      const name = suggestName(server?.name, draft);
      setSuggested(name);
      setName(name);
    },
    gcTime: 0,
  });
  return { probe, isProbed: probedKey === requestKey && probe.isSuccess };
}

/** Redirects to the sign-in page after saving if one is needed. */
function useSaveConnection(
  hub: string,
  draft: ConnectionDraft,
  onClose: () => void,
  onAdded: (() => void) | undefined,
) {
  const { hubs } = useClient();
  const { signIn, isRedirecting } = useStartSignIn(hub);
  const save = useInvalidatingMutation(
    'hub-connections',
    async (willSignIn: boolean) => ({ willSignIn, added: await hubs.addConnection(hub, toNewConnection(draft)) }),
    ({ willSignIn, added }) => {
      if (willSignIn) return signIn.mutate(added.connection_id, { onError: onClose });
      onClose();
      onAdded?.();
    },
  );
  return { save, signIn, isRedirecting: isRedirecting };
}

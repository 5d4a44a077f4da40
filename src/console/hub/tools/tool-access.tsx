import { Link } from 'wouter';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { hubPath } from '../../paths.ts';
import { useClient } from '../../session/client.ts';
import { isToolDisabled, listAllowedRoles, setToolEnabled } from '../policy/role-rules.ts';
import { usePolicy } from '../policy/use-policy.ts';
import { useInvalidatingMutation } from '../use-invalidating-mutation.ts';

type ToolAccessProps = {
  readonly hub: string;
  readonly name: string;
  readonly isReadOnly: boolean;
  readonly mayChange: boolean;
};

/** The roles that the policy allows to call a tool, and the switch that disables the tool for all of them. */
export function ToolAccess({ hub, name, isReadOnly, mayChange }: ToolAccessProps) {
  const { hubPolicy } = useClient();
  const { data: policy } = usePolicy(hub);
  const isEnabled = !policy || !isToolDisabled(policy.document, name);
  const toggle = useInvalidatingMutation('hub-policy', async () => {
    const { document, revision } = policy ?? (await hubPolicy.getPolicy(hub));
    return hubPolicy.setPolicy(hub, { document: setToolEnabled(document, name, !isEnabled), if_revision: revision });
  });
  if (!policy) return null;
  const roles = listAllowedRoles(policy.document, name, isReadOnly);
  return (
    <>
      <footer className="actions">
        <span className="faint">
          {!isEnabled ? 'Disabled: nobody can call it.' : ''}
          {isEnabled && roles.length === 0 ? 'The policy allows nobody to call it.' : ''}
          {isEnabled && roles.length > 0 ? `Can be called by: ${roles.join(', ')}.` : ''}
        </span>
        {mayChange ? (
          <button type="button" className="small" disabled={toggle.isPending} onClick={() => toggle.mutate()}>
            {isEnabled ? 'Disable' : 'Enable'}
            <span className="visually-hidden"> {name}</span>
          </button>
        ) : null}
        {roles.length > 0 ? (
          <Link className="faint" href={`${hubPath(hub, 'try')}?tool=${encodeURIComponent(name)}`}>
            Try it<span className="visually-hidden"> {name}</span>
          </Link>
        ) : null}
      </footer>
      {toggle.error ? <ErrorNotice error={toggle.error} /> : null}
    </>
  );
}

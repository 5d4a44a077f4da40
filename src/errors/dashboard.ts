/** Errors of the dashboard. */
import { invalid, peerFailure } from './row.ts';

export const dashboardErrors = {
  PROMETHEUS_AWAY: peerFailure(
    'Prometheus has not answered at {{url}} since {{since}}: {{problem}}',
    'start it with `docker compose -p platform-obs start prometheus`; its stored data is kept, and instances keep working without it',
  ),
  PROMETHEUS_STRANGE: peerFailure(
    'the server at {{url}} is not a Prometheus server, or could not evaluate the query (status {{status}})',
    'see the log of the dashboard; pass the right address, without a path, with `vp dashboard --prometheus <url>`',
  ),
  DASHBOARD_EXPOSED: invalid(
    'the dashboard has no sign-in, and would be open to others at {{address}}',
    'omit --host, or name an address of this machine; --allow-insecure is meant for a container network and for a proxy that asks people to sign in',
  ),
  RELAY_AWAY: peerFailure(
    'the control plane does not answer at {{url}}: {{problem}}',
    'start it with `vp serve`; its metrics continue from then on',
  ),
} as const;

/** Errors of the dashboard. */
import { invalid, unreachable } from './row.ts';

/** Area: dashboard. */
export const dashboardErrors = {
  PROMETHEUS_AWAY: unreachable(
    'Prometheus has not answered at {{url}} since {{since}}: {{problem}}',
    'start it with `docker compose -p platform-obs start prometheus`; what it has stored is kept, and instances go on without it',
  ),
  PROMETHEUS_STRANGE: unreachable(
    'what answers at {{url}} is no Prometheus, or could not work out the question (status {{status}})',
    'see the log of the dashboard; `vp dashboard --prometheus <url>` names the right address, without a path',
  ),
  DASHBOARD_EXPOSED: invalid(
    'the dashboard asks nobody to sign in, and would be open to others at {{address}}',
    'leave --host out, or name an address of this machine; --allow-insecure is meant for a container network and for a proxy that asks people to sign in',
  ),
  RELAY_AWAY: unreachable(
    'the control plane does not answer at {{url}}: {{problem}}',
    'start it with `vp serve`; its metrics go on from there',
  ),
} as const;

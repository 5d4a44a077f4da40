/** How containers in the target's network reach the control plane, tried from inside before anything is registered. */
import { isLoopbackHost } from '../../addresses/host-address.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { type OnboardingContext, requireState } from '../context.ts';
import { describeEndpoint, type EndpointSearchResult } from '../platform/platform.ts';
import { upToDate, type WorkflowStep } from '../workflow/step.ts';

export const controlPlaneEndpointStep: WorkflowStep<OnboardingContext> = {
  id: 'way',
  title: 'connection from the target’s network to the control plane',
  async check(context) {
    const { ports, request, signal, state } = context;
    const { image, controlPlane, ca } = request;
    const network = requireState(context, 'project').deploy?.network ?? '';
    const fetchSocketFolder = () => fetchControlSocketFolder(context);
    const search = { image, network, controlPlane, ca, fetchSocketFolder };
    const { endpoint, version, rejected } = await ports.platform.findEndpoint(search, context);
    signal.throwIfAborted();
    if (!endpoint) throw toNoEndpointError(controlPlane, network, rejected);
    state.endpoint = endpoint;
    return upToDate(`${describeEndpoint(endpoint)}${version === undefined ? '' : `, which is version ${version}`}`);
  },
};

/** The folder of the control plane's executor socket. Undefined where it offers none, or is too old to know. */
async function fetchControlSocketFolder(context: OnboardingContext): Promise<string | undefined> {
  const { instances } = requireState(context, 'client');
  try {
    return (await instances.getExecutorConnectivity({ signal: context.signal })).socket_folder ?? undefined;
  } catch (error) {
    if (error instanceof VpError && (error.row.status === 404 || error.row.status === 403)) return undefined;
    throw error;
  }
}

function toNoEndpointError(url: string, network: string, rejected: EndpointSearchResult['rejected']) {
  const reasons =
    rejected.map(({ endpoint, reason }) => `${describeEndpoint(endpoint)}: ${reason}`).join('; ') ||
    'no endpoint to try';
  const isLocal = isLoopbackHost(new URL(url).hostname);
  const cure = isLocal
    ? 'Start `vp serve` of this version as the same user, or let it listen where containers reach it (`--host 0.0.0.0 --public-url …` behind TLS)'
    : 'Let the network of the target reach that address, and trust its certificate with --ca';
  return vpError('CONTROL_PLANE_NO_WAY', { network, url, reasons, cure });
}

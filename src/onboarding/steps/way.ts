/** A way from the target's network to the control plane, tried from inside before anything is registered. */
import { vpError } from '../../errors/vp-error.ts';
import { known, type OnboardingContext } from '../context.ts';
import { done, type Step } from '../engine/step.ts';
import { chooseWay } from '../stacks/choose-way.ts';
import { addressInside, type ControlPlaneWay } from '../stacks/way.ts';
import { wayCandidates } from '../way-candidates.ts';

/** The step. */
export const wayStep: Step<OnboardingContext> = {
  id: 'way',
  title: 'way from the target’s network to the control plane',
  async check(context) {
    const { asked, found, signal, say } = context;
    const candidates = await wayCandidates(context);
    const network = known(context, 'project').deploy?.network ?? '';
    say(`trying ${candidates.map(wayText).join(', ')}`);
    const question = { image: asked.image, network, candidates, signal };
    const { way, version, refused } = await chooseWay(known(context, 'engine'), question);
    signal.throwIfAborted();
    if (!way) throw noWay(asked.controlPlane, network, refused);
    found.way = way;
    return done(`${wayText(way)}${version === undefined ? '' : `, which is version ${version}`}`);
  },
};

function wayText(way: ControlPlaneWay): string {
  return way.kind === 'socket' ? 'the unix socket of the control plane' : addressInside(way);
}

function noWay(
  url: string,
  network: string,
  refused: readonly { readonly way: ControlPlaneWay; readonly reason: string }[],
) {
  const reasons = refused.map(({ way, reason }) => `${wayText(way)}: ${reason}`).join('; ') || 'there is none to try';
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
  const cure = isHere
    ? 'Start `vp serve` of this version as the same user, or let it listen where containers reach it (`--host 0.0.0.0 --public-url …` behind TLS)'
    : 'Let the network of the target reach that address, and trust its certificate with --ca';
  return vpError('CONTROL_PLANE_NO_WAY', { network, url, reasons, cure });
}

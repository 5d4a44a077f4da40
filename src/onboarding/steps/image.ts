/** The image of executor, log reader and router: a release, and here. */
import { hasImage, pullImage, tagOf } from '../../containers/images.ts';
import { vpError } from '../../errors/vp-error.ts';
import { known, type OnboardingContext } from '../context.ts';
import { done, type Step, todo } from '../engine/step.ts';

/** The version of a release tag, `v<version>-slim`; undefined for any other tag. */
export function versionOfTag(tag: string | undefined): string | undefined {
  return /^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+?)?)-slim$/.exec(tag ?? '')?.[1];
}

/** The version that the image's tag names. Throws IMAGE_TAG_REFUSED. */
export function releaseOf(image: string): string {
  const tag = tagOf(image);
  const version = versionOfTag(tag);
  if (version !== undefined) return version;
  throw vpError('IMAGE_TAG_REFUSED', { image, tag: tag ?? 'no tag, but a digest' });
}

/** The step. */
export const imageStep: Step<OnboardingContext> = {
  id: 'image',
  title: 'image',
  async check(context) {
    const { asked } = context;
    releaseOf(asked.image);
    const isHere = await hasImage(known(context, 'engine'), asked.image);
    return isHere ? done(`${asked.image} is here`) : todo(`${asked.image} is to be pulled`);
  },
  async act(context) {
    const { asked, signal, say } = context;
    say(`pulling ${asked.image}`);
    await pullImage(known(context, 'engine'), asked.image, { onLine: say, signal });
    return { detail: `pulled ${asked.image}` };
  },
};

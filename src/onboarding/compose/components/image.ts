/** The image of executor, log reader and router. */
import { hasImage, pullImage } from '../../../containers/images.ts';
import { actionNeeded, upToDate } from '../../workflow/step.ts';
import type { ComposeComponent } from './component.ts';

export const imageComponent: ComposeComponent<'image'> = {
  async inspect({ engine }, { image }) {
    const isPresent = await hasImage(await engine(), image);
    return isPresent ? upToDate(`${image} is present`) : actionNeeded(`${image} is not present`);
  },
  async apply({ engine }, { image }, { report, signal }) {
    report(`pulling ${image}`);
    await pullImage(await engine(), image, { onLine: report, signal });
    return { detail: `pulled ${image}` };
  },
};

/** The two ways to sign in: with this machine's browser, and with a code that is entered in a browser on any device. */
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openLoopbackListener } from './loopback.ts';
import { type OAuthClient, readOAuthErrorCode, toLoginError } from './oauth-client.ts';

export type TokenGrant = {
  readonly token: string;
  readonly refreshToken: string | undefined;
  readonly expiresInSeconds: number;
};

const scope = 'api';
const browserTimeoutMs = 600_000;

type TokenResponse = { readonly access_token: string; readonly refresh_token?: string; readonly expires_in?: number };

export function toGrant({
  access_token: token,
  refresh_token: refreshToken,
  expires_in: expiresIn = 60,
}: TokenResponse): TokenGrant {
  return { token, refreshToken, expiresInSeconds: expiresIn };
}

/** `onUrl` gets the URL that the person must open. Throws LOGIN_REFUSED, LOGIN_EXPIRED, LOGIN_FAILED. */
export async function loginByBrowser(
  { library, config, url }: OAuthClient,
  clock: Pick<Clock, 'after'>,
  onUrl: (url: string) => void,
): Promise<TokenGrant> {
  const [verifier, state] = [library.randomPKCECodeVerifier(), library.randomState()];
  const loopback = await openLoopbackListener(state);
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(browserTimeoutMs, () => reject(vpError('LOGIN_EXPIRED', {})));
  try {
    const address = library.buildAuthorizationUrl(config, {
      redirect_uri: loopback.redirectUri,
      scope,
      state,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    onUrl(address.href);
    const callbackUrl = await Promise.race([loopback.callbackUrl, timedOut]);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    return toGrant(await library.authorizationCodeGrant(config, callbackUrl, checks));
  } catch (thrown) {
    throw toLoginError(thrown, url);
  } finally {
    cancel();
    loopback.close();
  }
}

export type DeviceCode = {
  readonly verificationUri: string;
  readonly userCode: string;
  readonly expiresInSeconds: number;
};

/** `onCode` gets the code that the person must enter, and where. Throws LOGIN_REFUSED, LOGIN_EXPIRED, LOGIN_FAILED. */
export async function loginByDevice(
  { library, config, url }: OAuthClient,
  clock: Pick<Clock, 'monotonicMs'>,
  onCode: (code: DeviceCode) => void,
): Promise<TokenGrant> {
  let expiresAtMs = Number.POSITIVE_INFINITY;
  try {
    const deviceAuthorization = await library.initiateDeviceAuthorization(config, { scope });
    const {
      verification_uri: verificationUri,
      user_code: userCode,
      expires_in: expiresInSeconds,
    } = deviceAuthorization;
    expiresAtMs = clock.monotonicMs() + expiresInSeconds * 1000;
    onCode({ verificationUri, userCode, expiresInSeconds });
    return toGrant(await library.pollDeviceAuthorizationGrant(config, deviceAuthorization));
  } catch (thrown) {
    // The library gives up at that time with an error of its own.
    const isExpired = readOAuthErrorCode(thrown) === undefined && clock.monotonicMs() >= expiresAtMs - 500;
    throw isExpired ? vpError('LOGIN_EXPIRED', {}, { cause: thrown }) : toLoginError(thrown, url);
  }
}

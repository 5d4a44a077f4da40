import { useLocation } from 'wouter';
import { SignInForm } from './sign-in-form.tsx';

/** Shown at its own address and in place of any page that requires a session. */
export default function SignInPage() {
  const [path, navigate] = useLocation();
  return <SignInForm onSignedIn={() => path === '/sign-in' && navigate('/', { replace: true })} />;
}

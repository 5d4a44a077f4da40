import { useLocation } from 'wouter';
import { SignInForm } from './sign-in-form.tsx';

/** Shown at its own address and in place of any page that needs somebody signed in. */
export default function SignInPage() {
  const [path, go] = useLocation();
  return <SignInForm onSignedIn={() => path === '/sign-in' && go('/', { replace: true })} />;
}

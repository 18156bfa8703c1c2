import { type CanActivate, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { boardActionOf, ZkLockBoardModule } from 'nestjs-zk-lock/board';

interface StaffRequest {
  readonly user?: { readonly roles: readonly string[] };
}

const rolesOf = (context: ExecutionContext): readonly string[] =>
  context.switchToHttp().getRequest<StaffRequest>().user?.roles ?? [];

@Injectable()
export class StaffGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return rolesOf(context).includes('staff');
  }
}

@Injectable()
export class OperatorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const role = boardActionOf(context) === 'break' ? 'admin' : 'operator';
    return rolesOf(context).includes(role);
  }
}

@Module({
  imports: [
    ZkLockBoardModule.forRoot({
      path: 'ops/locks',
      guards: [StaffGuard],
      readOnly: false,
      actionGuards: [OperatorGuard],
    }),
  ],
})
export class OpsModule {}

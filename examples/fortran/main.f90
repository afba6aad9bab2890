! Calls the kernels of heat.stn from Fortran and compares them with plain loops.
!
!   main [STEPS]
program main
  use heat_mod
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none

  ! Fortran's first index is the last index of the program: T(x, y) is T[y,x].
  integer, parameter :: nx = heat_t_shape(1), ny = heat_t_shape(2)
  real(c_double), allocatable :: T(:,:), k(:,:), expected(:,:)
  type(heat_params) :: params
  type(heat_results) :: results
  integer(c_int64_t) :: steps = 500
  character(len=32) :: word
  integer(int64) :: start, finish, rate
  integer :: x, y

  if (command_argument_count() > 0) then
    call get_command_argument(1, word)
    read (word, *) steps
  end if
  allocate (T(nx, ny), k(nx, ny))

  params = heat_default_params()
  params%r = 0.15_c_double
  call check(heat_init(T, k, params))          ! the initial values of the program: T = 0, k
  do y = 1, ny                                 ! a hot disc, off the middle
    do x = 1, nx
      if ((x - 40)**2 + (y - 60)**2 < 15**2) T(x, y) = 100
    end do
  end do
  expected = T

  call system_clock(start, rate)
  call check(heat_run(T, k, steps, params, results))
  call system_clock(finish)
  print '(a, i0, a, i0, a, i0, a, f7.4, a)', 'T(', nx, ', ', ny, '): ', results%steps_done, ' steps in ', &
      real(finish - start, real64) / real(rate, real64), ' s'
  if (results%content_evaluations > 0) then
    print '(a, f0.6, a, f0.6)', 'hottest ', results%hottest, ', content ', results%content
  end if

  call plain_loops(expected, k, params%r, steps)
  print '(a, es10.3)', 'largest difference from plain loops ', maxval(abs(T - expected))
  if (maxval(abs(T - expected)) > 1e-10_c_double) error stop 'the results differ'

  ! Wrong arguments are refused with a message.
  if (heat_message(heat_run(T, k, -1_c_int64_t, params, results)) /= 'the number of steps is negative') then
    error stop 'a negative number of steps is not refused'
  end if

contains

  subroutine check(error)
    type(c_ptr), intent(in) :: error
    if (.not. c_associated(error)) return
    write (error_unit, '(a)') heat_message(error)
    error stop 1
  end subroutine check

  subroutine plain_loops(T, k, r, steps)
    real(c_double), intent(inout) :: T(:,:)
    real(c_double), intent(in) :: k(:,:), r
    integer(c_int64_t), intent(in) :: steps
    real(c_double), allocatable :: old(:,:)
    integer(c_int64_t) :: step
    integer :: x, y
    do step = 1, steps
      old = T
      do y = 2, ny - 1
        do x = 2, nx - 1
          T(x, y) = old(x, y) + r * (flux(old, k, x, y, 0, -1) + flux(old, k, x, y, 0, 1) &
              + flux(old, k, x, y, -1, 0) + flux(old, k, x, y, 1, 0))
        end do
      end do
    end do
  end subroutine plain_loops

  pure real(c_double) function flux(T, k, x, y, dx, dy)
    real(c_double), intent(in) :: T(:,:), k(:,:)
    integer, intent(in) :: x, y, dx, dy
    flux = 0.5_c_double * (k(x, y) + k(x + dx, y + dy)) * (T(x + dx, y + dy) - T(x, y))
  end function flux

end program main

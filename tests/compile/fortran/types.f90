! Values of every element type of types.stn, before and after two steps.
program types
  use types_mod
  implicit none
  logical(c_bool) :: b(5, 3)
  integer(c_int8_t) :: i8(5, 3), u8(5, 3)
  integer(c_int16_t) :: i16(5, 3), u16(5, 3), h(5, 3), bf(5, 3)
  integer(c_int) :: i32(types_i32_shape(1), types_i32_shape(2))
  integer(c_int64_t) :: i64(5, 3)
  real(c_float) :: f32(5, 3), older(5, 3)
  real(c_double) :: f64(5, 3), c(5, 3)
  type(types_params) :: params
  type(types_results) :: results
  integer :: i, j, at

  params = types_default_params()
  call expect(params%more == -huge(params%more) - 1 .and. params%wide > 0.4_c_double, 'defaults')
  call expect(types_message(types_derive_params(params)) == 'param more is not given', 'a param that is not given')
  params%more = 7
  call check(types_init(b, i8, u8, i16, u16, i32, i64, h, bf, f32, older, f64, c, params))
  do i = 0, 2
    do j = 0, 4
      at = 10 * i + j
      call expect(b(j + 1, i + 1) .eqv. i < j, 'bool')
      call expect(i8(j + 1, i + 1) == -at, 'byte')
      call expect(u8(j + 1, i + 1) == 200 + at - 256, 'ubyte')
      call expect(i16(j + 1, i + 1) == -300 - at, 'short')
      call expect(u16(j + 1, i + 1) == 40000 + at - 65536, 'ushort')
      call expect(i32(j + 1, i + 1) == 100000 + at, 'integer')
      call expect(i64(j + 1, i + 1) == 5000000000_c_int64_t + at, 'long')
      call expect(abs(f32(j + 1, i + 1) - (at + 0.25)) < 1e-6, 'float')
      call expect(abs(older(j + 1, i + 1) - (at + 0.25)) < 1e-6, 'the older level')
      call expect(abs(f64(j + 1, i + 1) - (at + 0.125d0)) < 1d-12, 'double')
    end do
  end do
  call expect(h(2, 1) == 15360 .and. bf(2, 1) == 16256, 'the bits of 1 in half and bfloat')

  older = -1
  b = .not. b                                  ! a value that Fortran wrote
  call check(types_run(b, i8, u8, i16, u16, i32, i64, h, bf, f32, older, f64, c, 2_c_int64_t, params, results))
  call expect(results%steps_done == 2 .and. results%stopped == 0, 'steps')
  call expect(results%total == sum(i64) .and. results%total_evaluations == 2, 'the sum')
  call expect(abs(results%largest - maxval(f64)) < 1d-12, 'the maximum')
  do i = 0, 2
    do j = 0, 4
      at = 10 * i + j
      call expect(b(j + 1, i + 1) .eqv. .not. i < j, 'bool after steps')
      call expect(i64(j + 1, i + 1) == 5000000014_c_int64_t + at, 'long after steps')
      call expect(abs(f32(j + 1, i + 1) - (at + 1.25)) < 1e-5, 'float after steps')
      call expect(abs(older(j + 1, i + 1)) < 1e-6, 'the older level after steps')
      call expect(abs(f64(j + 1, i + 1) - (2 * at + 0.125d0)) < 1d-12, 'double after steps')
    end do
  end do

  params%wide = 1 / (params%wide - 0.5d0)      ! infinite
  call expect(types_message(types_derive_params(params)) == 'param wide is not a finite number', 'a message')
  call expect(types_message(c_null_ptr) == '', 'no message')
  print '(a)', 'all values agree'

contains

  subroutine expect(condition, what)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: what
    if (condition) return
    print '(2a)', 'wrong: ', what
    stop 1
  end subroutine expect

  subroutine check(error)
    type(c_ptr), intent(in) :: error
    call expect(.not. c_associated(error), types_message(error))
  end subroutine check

end program types
